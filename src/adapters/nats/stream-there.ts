import { JetStreamApiError } from '@nats-io/jetstream'

const noStream = 10_059

/** Whether a stream is there; undefined: that could not be asked. */
export async function streamThere(info: Promise<unknown>): Promise<boolean | undefined> {
  return info.then(
    () => true,
    (error: unknown) => (error instanceof JetStreamApiError && error.code === noStream ? false : undefined),
  )
}
