"""The assistant that a company provides in the workspace: asked by the server, streamed, recorded whole."""
