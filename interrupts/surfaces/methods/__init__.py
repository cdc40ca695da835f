"""What this host can be asked, once for every surface that calls by name: JSON-RPC, MCP and the command line."""
