/** Whether lists and objects of a JSON value are nested more than `levels` deep. Recurses no deeper than `levels`. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (isNestedDeeper(inner, levels - 1)) return true
  }
  return false
}
