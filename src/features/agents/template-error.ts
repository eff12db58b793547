/** Describes an error in a template for its author. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}
