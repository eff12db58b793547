/** The first eight characters of an id: what people see of it, and what suffices to name it. */
export function shortId(id: string): string {
  return id.slice(0, 8)
}
