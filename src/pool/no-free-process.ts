import { IrisError } from '../protocol/error.ts'

/** All processes stayed busy for the whole of the queue time; names the pairs that hold them. */
export class NoFreeProcess extends IrisError {
  constructor(holders: readonly string[], waitedMs: number) {
    super(
      'no_free_process',
      `All ${holders.length} processes stayed busy for ${waitedMs} ms: ${holders.join(', ')}.`,
      'Ask again later, or raise settings.maxProcesses.',
    )
  }
}
