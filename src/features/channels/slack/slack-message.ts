/** The fields of a Slack message that Iris reads, both from events and from the history. */
export interface SlackMessage {
  readonly ts: string
  readonly subtype?: string | undefined
  readonly user?: string | undefined
  readonly bot_id?: string | undefined
  readonly bot_profile?: { readonly name?: string | undefined } | undefined
  /** Present in a bot's message. */
  readonly username?: string | undefined
  readonly text?: string | undefined
  readonly thread_ts?: string | undefined
  readonly edited?: unknown
  readonly parent_user_id?: string | undefined
  readonly files?: readonly SlackFile[] | undefined
  readonly attachments?: readonly SlackAttachment[] | undefined
  readonly blocks?: readonly SlackBlock[] | undefined
}

export interface SlackFile {
  readonly name?: string | null | undefined
  readonly size?: number | undefined
  readonly mode?: string | undefined
  readonly url_private_download?: string | undefined
}

/** A shared message, a link preview, or an app's attachment. */
export interface SlackAttachment {
  readonly is_share?: boolean | undefined
  readonly is_msg_unfurl?: boolean | undefined
  readonly from_url?: string | undefined
  readonly original_url?: string | undefined
  readonly author_id?: string | undefined
  readonly author_name?: string | undefined
  readonly pretext?: string | undefined
  readonly title?: string | undefined
  readonly text?: string | undefined
  readonly fallback?: string | undefined
  readonly fields?: readonly { readonly title?: string | undefined; readonly value?: string | undefined }[] | undefined
  readonly files?: readonly SlackFile[] | undefined
}

export interface SlackBlock {
  readonly type: string
}

/** The bot itself, as `auth.test` returns it. */
export interface Me {
  readonly user: string
  readonly team: string
}
