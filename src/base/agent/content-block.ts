/** An image or a document in a message, in the form of the Messages API. */
export interface ContentBlock {
  readonly type: 'image' | 'document'
  readonly source: { readonly type: 'base64'; readonly media_type: string; readonly data: string }
  /** Only for a document. */
  readonly title?: string
}
