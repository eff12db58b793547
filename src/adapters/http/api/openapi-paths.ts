const text = (schema: object) => ({ 'text/plain': { schema } })
const json = (properties: object) => ({ 'application/json': { schema: { type: 'object', properties } } })
const string = { type: 'string' }
const list = { type: 'array', items: string }

const stream = {
  get: {
    operationId: 'stream',
    summary: 'What happens, as it happens',
    description:
      'Server-Sent Events, or the same frames over a WebSocket. It begins with a snapshot. With Last-Event-ID, or `after`, it continues where a reader stopped.',
    tags: ['stream'],
    'x-access': 'program',
    parameters: [
      ...['team', 'session', 'turn'].map((name) => ({
        name,
        in: 'query',
        schema: list,
        description: `Only events of this ${name}; may occur several times`,
      })),
      { name: 'logs', in: 'query', schema: string, description: 'Adds log entries of this level and above' },
      { name: 'only', in: 'query', schema: { type: 'string', enum: ['logs'] } },
      { name: 'after', in: 'query', schema: string, description: 'The id of the last event that the reader has' },
      {
        name: 'kept',
        in: 'query',
        schema: { type: 'string', enum: ['false'] },
        description: 'With false, a snapshot takes the place of missed events',
      },
      { name: 'last-event-id', in: 'header', schema: string },
    ],
    responses: {
      '200': {
        description: 'The page "HTTP API" of the guide lists the types of events.',
        content: {
          'text/event-stream': {
            schema: { type: 'string', description: 'event: the type; id: where to continue; data: JSON' },
          },
        },
      },
    },
  },
}

/** The routes for programs that are not operations. */
export const otherPaths = {
  '/api/stream': stream,
  '/health': {
    get: {
      operationId: 'health',
      summary: 'Whether the daemon is running',
      tags: ['monitoring'],
      security: [],
      responses: { '200': { description: 'It is running', content: json({ status: string, version: string }) } },
    },
  },
  '/ready': {
    get: {
      operationId: 'ready',
      summary: 'Whether Iris accepts messages',
      tags: ['monitoring'],
      security: [],
      responses: {
        '200': { description: 'It accepts messages', content: json({ status: string }) },
        '503': { description: 'It accepts no messages', content: json({ status: string, reasons: list }) },
      },
    },
  },
  '/metrics': {
    get: {
      operationId: 'metrics',
      summary: 'Metrics in the Prometheus text format',
      tags: ['monitoring'],
      'x-access': 'program',
      responses: { '200': { description: 'The metrics', content: text(string) } },
    },
  },
}
