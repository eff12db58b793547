/** The first eight characters of an id, which people see and which suffice to name it. */
export function shortId(id: string): string {
  return id.slice(0, 8)
}
