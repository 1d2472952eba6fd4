"""The MCP surface: every tool over Streamable HTTP at ``/mcp``, without state between calls."""

from pawflow_web.mcp.endpoint import McpEndpoint

__all__ = ["McpEndpoint"]
