import type { NatsConnection } from '@nats-io/transport-node'
import { IrisError } from '../../../base/protocol/error.ts'

/** Throws `message_too_long` if a message is larger than what the servers carry. */
export function refuseOversized({ length }: Uint8Array, { info }: NatsConnection): void {
  // The headers and the subject count too.
  const most = (info?.max_payload ?? 2 ** 20) - 1024
  if (length <= most) return
  const what = `The message has ${length} bytes; the NATS servers carry at most ${most}.`
  throw new IrisError('message_too_long', what, 'Raise max_payload in their configuration.')
}
