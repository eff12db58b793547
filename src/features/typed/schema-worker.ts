import { parentPort } from 'node:worker_threads'
import { judge, validatorOf } from './judge.ts'
import type { SchemaAnswer, SchemaRequest } from './schemas.ts'
import { SchemaMistake } from './validator.ts'

// Runs in its own thread: with some schemas a small value takes hours, and Iris then ends the thread.
parentPort!.on('message', (request: SchemaRequest) => parentPort!.postMessage(answered(request)))
parentPort!.postMessage('ready')

function answered(request: SchemaRequest): SchemaAnswer {
  try {
    if (request.kind === 'judge') return { kind: 'judged', judged: judge(request.schema, request.value) }
    validatorOf(request.schema)
    return { kind: 'valid' }
  } catch (error) {
    if (error instanceof SchemaMistake) return { kind: 'invalid', why: error.message }
    throw error
  }
}
