/** `1 message`, `1,234 messages`. `shown`: a count as a person reads it. */
export function counted(shown: string | number, one: string, more = `${one}s`): string {
  return `${shown} ${String(shown) === '1' ? one : more}`
}
