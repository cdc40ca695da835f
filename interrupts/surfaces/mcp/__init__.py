"""The methods as tools of the Model Context Protocol, over standard input and output and over HTTP.

The SDK takes seconds and some 55 MB to load. Modules that every process loads (``view``, ``command``) therefore name
what stands on it by its path, and load it when somebody first speaks the protocol.
"""
