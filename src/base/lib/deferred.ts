/** A promise settled from outside. */
export interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(error: Error): void
}

export function deferred<T>(): Deferred<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  // Without a handler, a rejection that nobody awaits yet would end the program.
  promise.catch(() => {})
  return { promise, resolve, reject }
}
