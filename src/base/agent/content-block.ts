/** A picture or a document of a message, as the Messages API takes it. */
export interface ContentBlock {
  readonly type: 'image' | 'document'
  readonly source: { readonly type: 'base64'; readonly media_type: string; readonly data: string }
  /** Only of a document. */
  readonly title?: string
}
