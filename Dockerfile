# syntax=docker/dockerfile:1
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json bun.lock ./
COPY patches patches
RUN npm install -g --no-audit --no-fund "$(node -p 'require("./package.json").packageManager')" \
 && bun install --frozen-lockfile --production \
 && cp "$(readlink -f "$(command -v bun)")" /usr/local/bin/bun-binary
COPY drizzle drizzle
COPY src src
COPY tsconfig.json bunfig.toml ./

FROM debian:bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
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
