import { parentPort } from 'node:worker_threads'
import { judge, validatorOf } from './judge.ts'
import type { SchemaAnswer, SchemaRequest } from './schemas.ts'
import { SchemaMistake } from './validator.ts'

// A thread of its own: a schema may be so that a small value takes hours, and then the thread is ended.
parentPort!.on('message', (request: SchemaRequest) => parentPort!.postMessage(answered(request)))
parentPort!.postMessage('ready')

function answered(request: SchemaRequest): SchemaAnswer {
  try {
    if ('value' in request) return judge(request.schema, request.value)
    validatorOf(request.schema)
    return { value: null }
  } catch (error) {
    if (error instanceof SchemaMistake) return { mistake: error.message }
    throw error
  }
}
