"""What developers write all day is left as it is."""

from __future__ import annotations

import hashlib
from string import ascii_lowercase
from uuid import UUID

import pytest

from loremap.safety.redaction import redacted

SHA1 = hashlib.sha1(b"loremap").hexdigest()
SHA256 = hashlib.sha256(b"loremap").hexdigest()
SHA512_BASE64 = (
    "z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg"
)
MD5 = hashlib.md5(b"loremap", usedforsecurity=False).hexdigest()
SOME_UUID = str(UUID(int=0x550E8400E29B41D4A716446655440000))
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg"
)

PROSE = [
    "use sk-learn for the baseline",
    "the token bucket limit is 30",
    "the password is hashed with bcrypt before it is stored",
    "The password is required and must have 12 characters.",
    "password must be at least 8 characters, with 1 digit",
    "the password is validated against argon2id",
    "the password is sha256-hashed",
    "the password is case-sensitive",
    "passwords are stored in the keychain, never in the database",
    "reset the password to continue",
    "The token is valid for 15 minutes and refreshed by middleware.",
    "the token is a JWT signed with RS256",
    "the secret is mounted at run time from vault",
    "the API key is read from the environment",
    "the primary key is (tenant_id, order_id)",
    "max_tokens is 4096 and the key length is 2048",
    "cache key: user:42:profile",
    "the foreign key on orders.customer_id is missing",
    "press the Escape key to close the dialog",
    "keyboard shortcuts live in keymap.ts",
    "use a monkey patch for the turkey timezone",
    "auth is handled by the gateway, see docs/auth.md",
    "Bearer authentication is required for all endpoints",
    "Basic auth is off in production",
    "The login page is at /login and posts to /api/session",
    "tokenize() splits on white space; detokenize() joins",
    "secret santa list is in the wiki",
    "pin the version to 1.2.3",
    "connect the sensor to pin 13",
    "we pass the context as the first argument",
    "all 1024 tests pass: 1000 unit, 24 end to end",
    "Version 2024.10.1-rc.2+build.20241015 broke the importer",
    "the meeting is on 2024-10-15 at 10:30, room 4.12",
    "order 4111 and 5500 went to 10.0.0.1:8080",
    "the id is 1700000000000000 in microseconds",
    "see RFC 6749 section 4.1.2 and issue #12345",
    "retry after 250 ms, then 500, 1000, 2000, 4000",
    "the answer to ticket ABC-1234-5678 is in Confluence",
    "Das Passwort wird mit Argon2 gehasht",
    "密码使用 bcrypt 存储，令牌有效期为十五分钟。",
    "Donaudampfschifffahrtsgesellschaftskapitän ist ein langes Wort",
]

CODE = [
    "token = get_token(request)",
    'password = os.environ["DB_PASSWORD"]',
    "const token = await fetchToken(userId);",
    "apiKey: process.env.OPENAI_API_KEY,",
    'print(f"password={password!r} token={token}")',
    "password: string;",
    "password: str = Field(min_length=8)",
    "DB_PASSWORD=${DB_PASSWORD}",
    "API_KEY=your-api-key-here",
    "SECRET_KEY=<generate one>",
    "PASSWORD=********",
    "TOKEN=xxxxxxxxxxxxxxxxxxxx",
    "GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}",
    "MAX_TOKENS=4096",
    "TOKEN_TTL=3600",
    "SECRET_NAME=prod/db/main",
    "KEY_FILE=/etc/ssl/private/server.crt",
    "AUTH_URL=https://auth.example.org/oauth2/authorize",
    "PUBLIC_KEY_PATH=./keys/public",
    "curl -u $USER:$PASS https://x.test",
    'curl -H "Authorization: Bearer $TOKEN" https://x.test',
    "git clone git@github.com:org/repo.git",
    "git clone https://github.com/org/repo.git",
    "ssh deploy@build-7.internal",
    "import { createHmac, randomBytes } from 'node:crypto';",
    "from loremap.safety.redaction import redacted",
    "import java.util.concurrent.ConcurrentHashMap;",
    "#include <openssl/evp.h>",
    "def test_user_cannot_log_in_with_expired_token_after_password_reset(): ...",
    "public class AbstractSingletonProxyFactoryBeanConfigurationProvider {}",
    "useServerSideRenderingConfigurationProviderContext()",
    "SELECT password_hash FROM users WHERE token_id = $1 ORDER BY created_at",
    "ALTER TABLE users ADD COLUMN password_reset_token VARCHAR(64) NOT NULL;",
    '<input type="password" name="password" autocomplete="new-password">',
    '<label for="password">Password</label>',
    ".btn-primary:hover { background: rgba(0,0,0,.5) url(#gradient-2x); color: #1da1f2; }",
    'className="flex items-center justify-between px-4 py-2 hover:bg-[#1da1f2]/50"',
    '  File "/usr/lib/python3.11/asyncio/base_events.py", line 607, in run_until_complete',
    "    at Object.<anonymous> (/home/me/app/node_modules/jest-runner/build/index.js:116:5)",
    "KeyError: 'session_token'",
    "TypeError: Cannot read properties of undefined (reading 'accessToken')",
    "thread 'main' panicked at src/main.rs:42:17: called `Option::unwrap()` on a `None` value",
    "_ZNSt6vectorIiSaIiEE9push_backEOi",
    "kubectl logs my-service-7d4b9c6f8d-x2x5z -n production",
    "docker run --rm -v $(pwd):/app -w /app node:20-alpine npm ci",
    "pip install 'google-re2>=1.1.20251105' numpy==2.0.1",
    "npm i @types/node@18.2.0 --save-dev",
    "uses: actions/checkout@v4",
    "systemctl status getty@tty1.service",
    "logo@2x.png and logo@3x.png",
    r"C:\Users\me\AppData\Local\Programs\Python\Python311\python.exe",
    "/home/me/projects/loremap/src/loremap/safety/secret_patterns.py",
    "./node_modules/.pnpm/@babel+core@7.24.0/node_modules/@babel/core/lib/index.js",
    "https://github.com/org/repo/blob/main/src/components/UserProfile/UserProfile.tsx#L10-L20",
    "https://docs.google.com/document/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit",
    "dist/assets/index-BfX3kQ2a.js 143.21 kB",
    "const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';",
    "The file starts with -----BEGIN RSA PRIVATE KEY----- and must be mode 600.",
]

DATA = [
    f"commit {SHA1}",
    f"fixed in {SHA1[:7]} and {SHA1[:12]}",
    f"sha256: {SHA256}",
    f"md5sum {MD5}  archive.tar.gz",
    f"image: images.example.org/app@sha256:{SHA256}",
    f'"integrity": "sha512-{SHA512_BASE64}=="',
    f"golang.org/x/text v0.3.7 h1:{SHA512_BASE64[:43]}=",
    f"request id {SOME_UUID}",
    f"user_id = '{SOME_UUID}'",
    f"credentialsId: '{SOME_UUID}'",
    f"--hash=sha256:{SHA256}",
    f'<img src="data:image/png;base64,{PIXEL}==" alt="">',
    f"SHA256:{SHA512_BASE64[:43]} me@laptop (ED25519)",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5m0x2Zr0l8vF3cG9Qh1b2J7KpTtWnXyZ0aBcDeFgHi",
    "01ARZ3NDEKTSV4RRFFQ69G5FAV is the ULID of the run",
    "tool call toolu_01A09q90qw90lq917835lq9 failed",
    "public_key = '" + SHA512_BASE64[:43] + "'",
    f'ETag: W/"{MD5}"',
    "x86_64-pc-linux-gnu, aarch64-apple-darwin23.4.0",
    "CVE-2024-3094, GHSA-rxwq-x6h5-x525",
    "ISBN 978-3-16-148410-0",
    "Co-Authored-By: Claude <noreply@anthropic.com>",
    "[REDACTED: github-token] was rotated",
    f"assets/favicon.ico-{MD5}.png",
    f"R21A-A-V010SP13RC181024R16900-CN-B_250K-Release-OTA-{MD5}.bfu",
    "API_TOKEN=" + "dapi" + "1234567890" * 2 + "ab",
    'secret_key = "' + "sk_" + ascii_lowercase + '123"',
    "gitlab: " + "GR1348941" + "123" * 8,
    '"token": "' + "xoxp-" + "572370529330-" * 3 + '##########"',
    f"-----BEGIN PGP MESSAGE-----\n\n{SHA512_BASE64}\n{PIXEL}\n-----END PGP MESSAGE-----",
    f"-----BEGIN AGE ENCRYPTED FILE-----\n{SHA512_BASE64}\n-----END AGE ENCRYPTED FILE-----",
]


@pytest.mark.parametrize("text", [*PROSE, *CODE, *DATA])
def test_a_benign_text_is_returned_unchanged(text: str) -> None:
    result = redacted(text)
    assert result.findings == ()
    assert result.text == text


def test_benign_texts_stay_benign_when_they_stand_together() -> None:
    text = "\n".join([*PROSE, *CODE, *DATA])
    assert redacted(text).findings == ()
