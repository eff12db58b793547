const nodeBytes = 16

/** About what a JSON value holds in memory. Counts nodes, not characters: a line of megabytes takes no time. */
export function roughBytes(value: unknown): number {
  if (typeof value === 'string') return nodeBytes + value.length
  if (typeof value !== 'object' || value === null) return nodeBytes
  let bytes = nodeBytes
  for (const name in value) bytes += name.length + roughBytes((value as Record<string, unknown>)[name])
  return bytes
}
