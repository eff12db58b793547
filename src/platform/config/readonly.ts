export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T

/** Freezes plain objects and lists, all the way down. */
export function deepFreeze<T>(value: T): DeepReadonly<T> {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner)
    Object.freeze(value)
  }
  return value as DeepReadonly<T>
}

/** Object.freeze leaves a Map's entries open; this one refuses to change. */
export function frozenMap<Key, Value>(entries: Iterable<readonly [Key, Value]>): ReadonlyMap<Key, Value> {
  const map = new Map(entries)
  const refuse = () => {
    throw new TypeError('this map is read only')
  }
  for (const name of ['set', 'delete', 'clear']) Object.defineProperty(map, name, { value: refuse })
  return Object.freeze(map)
}
