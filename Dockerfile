# syntax=docker/dockerfile:1
# By tag these move; docs/install.md says how to pin them to what you have looked at.
ARG NODE_IMAGE=node:22-bookworm-slim
ARG DEBIAN_IMAGE=debian:bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json bun.lock ./
COPY patches patches
# The version of bun stands in package.json. Peers are what a library works with if it is there:
# all that we use are dependencies of our own, the others are tools of developers.
# hadolint ignore=DL3016
RUN npm install -g --no-audit --no-fund "$(node -p 'require("./package.json").packageManager')" \
 && bun install --frozen-lockfile --production --omit=peer \
 && cp "$(readlink -f "$(command -v bun)")" /usr/local/bin/bun-binary
COPY drizzle drizzle
COPY generated generated
COPY src src
COPY tsconfig.json bunfig.toml LICENSE NOTICE ./

FROM ${DEBIAN_IMAGE}
ARG DEBIAN_IMAGE
ARG REVISION=unknown
ARG CREATED=unknown
LABEL org.opencontainers.image.title="Corridor" \
      org.opencontainers.image.description="Currency rates and provider prices, corridor by corridor, from memory" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="2.0.0" \
      org.opencontainers.image.base.name="${DEBIAN_IMAGE}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
ENV REVISION=${REVISION} NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
RUN useradd --uid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin corridor \
 && mkdir /data && chown corridor:corridor /data
COPY --from=build /usr/local/bin/bun-binary /usr/local/bin/bun
COPY --from=build /app /app
WORKDIR /app
USER corridor
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["bun", "-e", "process.exit((await fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`)).ok ? 0 : 1)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["bun", "src/main.ts"]
CMD ["serve"]
