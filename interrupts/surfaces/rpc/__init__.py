"""JSON-RPC 2.0 over HTTP, on the table of methods."""
