"""The small model behind an HTTP endpoint: OpenAI-compatible, Anthropic, Ollama."""

from __future__ import annotations

from urllib.parse import urlsplit

from loremap.endpoint.post import Endpoint, Manner
from loremap.errors import BadInput
from loremap.sidecar.ask import Ask, Said, Unusable
from loremap.sidecar.protocols import PROTOCOLS, address, read

_OTHERWISE = "switch the sidecar off: lore config set sidecar.kind off"
_RETRY_AFTER_S = (0.25,)
_ANSWER_BYTES = 2 << 20


class RemoteModel:
    """Asks an endpoint: one retry, and only of what may pass by itself."""

    def __init__(
        self,
        kind: str,
        base_url: str,
        model: str,
        *,
        key_env: str = "",
        key: str = "",
        timeout_s: float = 30.0,
        plain_http: bool = False,
        structured: bool = True,
    ) -> None:
        self.name = model
        self._protocol = PROTOCOLS[kind]
        self._structured = structured
        url = address(self._protocol, base_url)
        self._endpoint = Endpoint(
            url,
            Manner(
                called="sidecar endpoint",
                otherwise=_OTHERWISE,
                hints={400: "Where it knows no schemas: lore config set sidecar.structured false"},
                pauses_s=_RETRY_AFTER_S,
                answer_bytes=_ANSWER_BYTES,
                shows_key=self._protocol.shows_key,
            ),
            key_env=key_env,
            key=key,
            timeout_s=timeout_s,
        )
        self.leaves_machine = self._endpoint.leaves_machine
        parts = urlsplit(url)
        self.where = f"{parts.scheme}://{parts.netloc}"
        if self.leaves_machine and parts.scheme != "https" and not plain_http:
            raise BadInput(
                f"The sidecar at {self.where} would be sent your words without encryption.",
                hint="Use https, or: lore config set sidecar.plain_http true",
            )

    def ask(self, ask: Ask) -> Said:
        """The answer, unchecked; raises `ModelFailed`."""
        answer = self._endpoint.post(self._protocol.body(self.name, ask, self._structured))
        try:
            return read(self._protocol, answer)
        except Unusable as reason:
            raise self._endpoint.failure(f"cannot be understood: {reason}") from reason
