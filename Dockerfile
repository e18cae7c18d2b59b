# Parley in a container: docker build -t parley . && docker run --rm parley
# With models and data of one's own: docker run --rm -v "$PWD:/work" parley compare --model MODEL.gguf --task MINE.csv
FROM golang:1.26-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends cmake && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# The CPU of the machine that runs it is unknown here; ARCH names the oldest it may be.
ARG ARCH=-march=x86-64-v3
RUN make build ARCH="$ARCH" && bin/parley version && go -C tools build -o /usr/local/bin/licences ./licences && \
	CGO_ENABLED=0 licences -llama "$(make -s llama ARCH="$ARCH")" -texts ./cmd/parley >LICENSES-OF-OTHERS.txt

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libstdc++6 && rm -rf /var/lib/apt/lists/* && \
	useradd --create-home parley && install -d -o parley /work
COPY --from=build /src/bin/parley /usr/local/bin/parley
COPY --from=build /src/LICENSE /src/LICENSES-OF-OTHERS.txt /usr/local/share/doc/parley/
USER parley
WORKDIR /work
ENTRYPOINT ["parley"]
CMD ["demo"]
