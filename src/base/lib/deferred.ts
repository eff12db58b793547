/** A promise settled from outside. */
export interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(error: Error): void
}

export function deferred<T>(): Deferred<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  // A rejection nobody has come to read yet must not end the program.
  promise.catch(() => {})
  return { promise, resolve, reject }
}
