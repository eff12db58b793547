/** Edits a text with plain line ends, and restores the line ends that it had. */
export function withPlainLines(text: string, edit: (plain: string) => string): string {
  const hasReturns = text.includes('\r\n')
  const edited = edit(plainLines(text))
  return hasReturns ? edited.replaceAll('\n', '\r\n') : edited
}

export function plainLines(text: string): string {
  return text.replaceAll('\r\n', '\n')
}
