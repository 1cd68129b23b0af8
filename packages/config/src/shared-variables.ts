/** Variables with the same name and meaning in several services. */
import { Type } from "typebox";

export const TRIPTYCH_SECRET = Type.Optional(
  Type.String({
    description: "encryption secret of the installation, at least 32 characters; required in production",
    details:
      "Encrypts credentials, license keys and stored responses. Must be the same for every process. Production rejects a secret with fewer than 8 distinct characters or a repeated pattern",
    secret: true,
    file: "secret-key",
  }),
);

export const TRIPTYCH_SECRET_PREVIOUS = Type.Optional(
  Type.String({
    description: "previous secret, which still decrypts stored values; requires TRIPTYCH_SECRET",
    details: "During a [rotation](backup.md#rotate-the-secret)",
    secret: true,
  }),
);

export const TRUSTED_PROXIES = Type.Optional(
  Type.String({
    pattern: "^[0-9a-fA-F.:/]+(,[0-9a-fA-F.:/]+)*$",
    description: "comma-separated addresses and networks of proxies whose X-Forwarded-For is trusted",
    details: "If it is not set behind a proxy, all callers share one address and its limits",
  }),
);

/** OpenTelemetry variables. The SDK also reads its other standard variables, such as OTEL_BSP_SCHEDULE_DELAY. */
export function tracingVariables() {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
      Type.String({
        pattern: "^https?://[^/?#]+(/[^?#]*)?$",
        description: "http(s) URL of an OTLP collector, such as http://127.0.0.1:4318; turns traces on",
        unset: "no traces; OpenTelemetry is not loaded",
      }),
    ),
    OTEL_EXPORTER_OTLP_HEADERS: Type.Optional(
      Type.String({
        pattern: "^[^=,\\s]+=[^,]*(,[^=,\\s]+=[^,]*)*$",
        description: "headers for the collector, name=value, comma-separated",
        secret: true,
      }),
    ),
    OTEL_TRACES_SAMPLER: Type.Enum(
      [
        "always_on",
        "always_off",
        "traceidratio",
        "parentbased_always_on",
        "parentbased_always_off",
        "parentbased_traceidratio",
      ],
      {
        default: "parentbased_always_on",
        description:
          "standard sampler name: always_on, always_off, traceidratio, or one of these with the prefix parentbased_",
      },
    ),
    OTEL_TRACES_SAMPLER_ARG: Type.Number({
      default: 1,
      minimum: 0,
      maximum: 1,
      description: "ratio of sampled traces for traceidratio, 0 to 1",
    }),
    OTEL_RESOURCE_ATTRIBUTES: Type.Optional(
      Type.String({
        pattern: "^[^=,\\s]+=[^,]*(,[^=,\\s]+=[^,]*)*$",
        description: "attributes of every span, name=value, comma-separated",
      }),
    ),
  };
}

/** Variables of every service. */
export function serviceVariables() {
  return {
    HOST: Type.String({
      default: "127.0.0.1",
      description: "address to listen on",
      details:
        "On a public address, `triptych start` does not start the rail unless its payments are real or allowed (`RAIL_PROVIDER`), and prints a notice",
    }),
    TRIPTYCH_DATA: Type.String({
      default: ".triptych",
      description: "data folder, mode 0700",
      details: "On the embedded store the router keeps head files in its folder `heads`",
    }),
    DATABASE_URL: Type.Optional(
      Type.String({
        pattern: "^postgres(ql)?://",
        description: "postgres:// URL, PostgreSQL 15 or newer; SQLite in TRIPTYCH_DATA when unset",
        details: "Every service uses its own schema",
        secret: "password",
      }),
    ),
    NODE_ENV: Type.String({
      default: "development",
      description: "with `production`, no sample data, demo accounts, tokens or secrets are created automatically",
    }),
    LOG_LEVEL: Type.Enum(["silent", "fatal", "error", "warn", "info", "debug"], {
      default: "info",
      description: "silent, fatal, error, warn, info or debug",
      details:
        "Logs are JSON lines, at least one per request. On a terminal they are short, and requests from services and probes appear only if they fail or at level `debug`",
    }),
    ...tracingVariables(),
  };
}

export function connectionVariables({ max = 2_000, maxPerAddress = 500 } = {}) {
  return {
    MAX_CONNECTIONS: Type.Integer({
      default: max,
      minimum: 1,
      maximum: 1_000_000,
      description: "maximum open connections, 1 or more",
      details:
        "Per thread of the directory. More are closed immediately and counted in `http_connections_refused_total`",
    }),
    MAX_CONNECTIONS_PER_ADDRESS: Type.Integer({
      default: maxPerAddress,
      minimum: 1,
      maximum: 1_000_000,
      description: "maximum open connections per address, 1 or more; loopback and TRUSTED_PROXIES are exempt",
      details: "Run proxies of gateway, router and directory on loopback, or raise the limit",
    }),
  };
}
