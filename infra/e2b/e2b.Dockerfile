# The image of an E2B sandbox: what agents need at hand, OpenCode, and what runs beside it.
# It has never been built where it was written, which has neither Docker nor an E2B account.
FROM node:20-bookworm

ARG OPENCODE_VERSION=1.18.33

RUN apt-get update \
  && apt-get install --yes --no-install-recommends \
    bash build-essential ca-certificates caddy coreutils curl findutils git grep jq less openssh-client \
    procps python3 python3-pip python3-venv ripgrep unzip \
  && rm -rf /var/lib/apt/lists/*

# The sandbox starts the program of the platform's package by this name; see README.md.
RUN npm install --global "opencode-ai@${OPENCODE_VERSION}" \
  && ln --force --symbolic \
    "$(find "$(npm root --global)" -path '*opencode-linux-*/bin/opencode' -type f | head -n 1)" \
    /usr/local/bin/opencode \
  && opencode --version

# The control plane starts Caddy itself, with a configuration of the session's own.
RUN rm -f /etc/caddy/Caddyfile
