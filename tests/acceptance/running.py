"""The product as a user runs it, and an agent that knows nothing of it but an address and a token."""

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.startup.product import Product, manage, open_folder


@dataclass(frozen=True)
class Running:
    product: Product
    base: str
    link: str
    folder: Path

    def manage(self, *arguments: str) -> dict[str, Any]:
        done = manage(self.product.data_dir, *arguments, "--json")
        assert done.returncode == 0, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer


@contextmanager
def running_product() -> Iterator[Running]:
    """One ``manage.py up`` in a folder of its own, with its first owner."""
    with open_folder() as folder:
        product = Product(folder / "data", PAWFLOW_OWNER="lotta")
        try:
            printed = product.wait_ready()
            link = next(line for line in printed if line.startswith("Sign in once: ")).partition(": ")[2]
            yield Running(product, f"http://127.0.0.1:{product.port}", link, folder)
        finally:
            product.end()


@dataclass(frozen=True)
class Agent:
    """A client that knows nothing but an address and a token."""

    base: str
    token: str

    def call(self, tool: str, **arguments: Any) -> tuple[int, dict[str, Any]]:
        request = urllib.request.Request(
            f"{self.base}/api/v1/tools/{tool}",
            json.dumps(arguments).encode(),
            {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                return reply.status, json.loads(reply.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    def recalls(self, query: str) -> list[str]:
        status, found = self.call("recall", query=query)
        assert status == 200
        return [item["text"] for item in found["items"]]

    def recalls_over_mcp(self, query: str) -> list[str]:
        async def ask() -> list[str]:
            async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {self.token}"}) as http:
                transport = streamable_http_client(f"{self.base}/mcp", http_client=http)
                async with Client(transport) as client:
                    found = await client.call_tool("recall", {"query": query})
                    assert not found.is_error
                    return [item["text"] for item in found.structured_content["items"]]

        # Playwright keeps an event loop of its own in this thread.
        with ThreadPoolExecutor(1) as other:
            return other.submit(asyncio.run, ask()).result(timeout=60)

    def context(self) -> str:
        """What it receives before its next turn, as plain text."""
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "text/plain"}
        with urllib.request.urlopen(urllib.request.Request(f"{self.base}/api/v1/context", headers=headers)) as reply:
            text: str = reply.read().decode()
            return text

    def everything(self) -> list[str]:
        request = urllib.request.Request(
            f"{self.base}/api/v1/export", headers={"Authorization": f"Bearer {self.token}"}
        )
        with urllib.request.urlopen(request, timeout=30) as reply:
            rows = [json.loads(line) for line in reply.read().splitlines()]
        assert rows[0]["type"] == "header"
        return [row["text"] for row in rows[1:]]
