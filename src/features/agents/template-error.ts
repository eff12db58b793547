/** What is wrong with a template, in words for the person who wrote it. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}
