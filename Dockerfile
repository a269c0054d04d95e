# The command in an image: docker build -t evenhand . and then
# docker run --rm --user "$(id -u)" --volume "$PWD:/work" evenhand rank --data data --judge …
FROM rust:1.95-bookworm AS build
WORKDIR /source
COPY . .
RUN scripts/setup && scripts/make-static /build

# The file needs nothing of it but the certificates that servers are known by.
FROM debian:bookworm-slim
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /build/static/evenhand /usr/local/bin/evenhand
ENV HOME=/tmp
WORKDIR /work
ENTRYPOINT ["/usr/local/bin/evenhand"]
