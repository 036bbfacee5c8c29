/**
 * Traces for OpenTelemetry, which is loaded only if OTEL_EXPORTER_OTLP_ENDPOINT is set. A span has the route
 * pattern of a request, the name of a statement or the purpose of a call, and nothing that a user or a tenant
 * has entered.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Attributes, Link, Span, SpanKind, TraceAPI } from '@opentelemetry/api'
import { type Config, ConfigError, VERSION } from './config/config.ts'
import { currentRequestTime } from './request-time.ts'

type Kind = 'server' | 'client'
/** Without `parent` the span begins a new trace. `link`: a trace of the caller. */
type Start = { kind: Kind; attributes?: Attributes; parent?: Span; link?: Link }

type Tracing = {
  start(name: string, start: Start): Span
  /** Sends what was not sent yet. */
  close(): Promise<void>
}

/** Undefined while traces are off. */
const current: { tracing: Tracing | undefined } = { tracing: undefined }

export const isTracing = () => current.tracing !== undefined

const PACKAGES = [
  '@opentelemetry/api@1',
  '@opentelemetry/resources@3',
  '@opentelemetry/sdk-trace@3',
  '@opentelemetry/exporter-trace-otlp-http@0.301',
]

/** 3 s, in ms: how long the end of the process waits for the collector. */
const CLOSE_MAX = 3_000

/** Starts to trace. Returns how to stop. Throws ConfigError if the packages are not installed. */
export async function openTracing(config: Config): Promise<(() => Promise<void>) | undefined> {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined
  const tracing = await load(config).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new ConfigError(`OTEL_EXPORTER_OTLP_ENDPOINT requires packages: npm install ${PACKAGES.join(' ')}`)
  })
  current.tracing = tracing
  return async () => {
    current.tracing = undefined
    await tracing.close()
  }
}

async function load(config: Config): Promise<Tracing> {
  const [{ trace, ROOT_CONTEXT, SpanKind: kinds }, { resourceFromAttributes }, sdk, { OTLPTraceExporter }] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ])
  const url = `${config.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/$/, '')}/v1/traces`
  const exporter = new OTLPTraceExporter({ url, headers: config.OTEL_EXPORTER_OTLP_HEADERS })
  const ratio = new sdk.TraceIdRatioBasedSampler(config.OTEL_TRACES_SAMPLER_ARG)
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({
      'service.name': config.OTEL_SERVICE_NAME,
      'service.version': VERSION,
      'process.pid': process.pid,
    }),
    sampler: new sdk.ParentBasedSampler({ root: ratio }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('tenantry')
  const kindOf: Record<Kind, SpanKind> = { server: kinds.SERVER, client: kinds.CLIENT }
  const contextOf = (parent: Span | undefined, { setSpan }: TraceAPI) =>
    parent ? setSpan(ROOT_CONTEXT, parent) : ROOT_CONTEXT
  return {
    start: (name, { kind, attributes = {}, parent, link }) =>
      tracer.startSpan(
        name,
        { kind: kindOf[kind], attributes, ...(link && { links: [link] }) },
        contextOf(parent, trace),
      ),
    close: () => Promise.race([provider.shutdown().catch(() => {}), pause(CLOSE_MAX)]),
  }
}

/** W3C Trace Context: version 00, trace id, span id, flags. */
const TRACEPARENT = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/

/**
 * The trace of a caller, as a link: anyone can send the header. As a parent it would decide which requests
 * are recorded, and in which trace.
 */
function linkOf(traceparent: unknown): Link | undefined {
  const [, traceId, spanId, flags] = (typeof traceparent === 'string' && TRACEPARENT.exec(traceparent)) || []
  if (traceId === undefined || spanId === undefined) return undefined
  return { context: { traceId, spanId, traceFlags: Number.parseInt(flags ?? '0', 16) & 1, isRemote: true } }
}

/** The span of a request; undefined while traces are off. `end`: with the route and the status. */
export function startRequestSpan(method: string, requestId: string, traceparent: unknown) {
  const link = linkOf(traceparent)
  const span = current.tracing?.start(method, {
    kind: 'server',
    attributes: { 'http.request.method': method, 'tenantry.request_id': requestId },
    ...(link && { link }),
  })
  if (!span) return undefined
  const end = (route: string, status: number) => {
    span.updateName(`${method} ${route}`)
    span.setAttributes({ 'http.route': route, 'http.response.status_code': status })
    if (status >= 500) span.setStatus({ code: 2 }) // SpanStatusCode.ERROR
    span.end()
  }
  return { span, end }
}

/**
 * Runs `work` in a span of the current request; outside of a request in one of its own if `isRoot`. `status`
 * returns an attribute of the result.
 */
export async function traced<T>(
  name: string,
  { attributes, isRoot = false, status }: Traced<T>,
  work: () => Promise<T>,
): Promise<T> {
  const parent = currentRequestTime()?.span as Span | undefined
  if (!current.tracing || (!parent && !isRoot) || (parent && !parent.isRecording())) return work()
  const span = current.tracing.start(name, { kind: 'client', attributes, ...(parent && { parent }) })
  try {
    const result = await work()
    if (status) span.setAttributes(status(result))
    return result
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    span.setAttributes({ 'error.type': typeof code === 'string' ? code : (error as Error).name })
    span.setStatus({ code: 2 })
    throw error
  } finally {
    span.end()
  }
}

type Traced<T> = { attributes: Attributes; isRoot?: boolean; status?: (result: T) => Attributes }

/** The name of a prepared statement, else its first word. Never its values. */
function statementName(statement: unknown): string {
  const { name, text = '' } =
    typeof statement === 'string' ? { text: statement } : (statement as { name?: string; text?: string })
  return name ?? /^\W*(\w+)/.exec(text)?.[1]?.toLowerCase() ?? 'statement'
}

/** Runs a statement in a span of the current request. */
export function tracedStatement<T>(statement: unknown, work: () => Promise<T>): Promise<T> {
  if (!current.tracing) return work()
  const name = statementName(statement)
  const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': name }
  return traced(name, { attributes }, work)
}
