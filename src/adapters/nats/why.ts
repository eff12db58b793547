import { JetStreamApiError } from '@nats-io/jetstream'

/** The server reserves so much of its disk for each host. */
export const mailboxBytes = 64 * 2 ** 20
/** The server has not so much room as it would reserve. */
const noRoom = new Set([10_023, 10_047])

/** An error of the servers in words. */
export function whyOf(error: unknown): string {
  if (error instanceof JetStreamApiError && noRoom.has(error.code)) {
    const what = `the NATS server has no room for the mailbox of this host, which reserves ${mailboxBytes / 2 ** 20} MB`
    return `${what}: raise jetstream.max_file_store in its configuration, or free its disk`
  }
  return error instanceof Error ? error.message : String(error)
}
