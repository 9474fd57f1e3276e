"""The assistant that a company provides in the workspace: asked through the server, streamed, recorded whole."""
