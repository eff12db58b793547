/** How full a conversation is: its size and the model's context window, both in tokens. */
export interface ContextShare {
  readonly tokens: number
  readonly window: number
}
