import { texts } from './texts.ts'

/** The content of a notification. What a tool would do, and what was written, are never shown outside the page. */
export interface News {
  /** News with the same tag is shown once. */
  readonly tag: string
  readonly title: string
  readonly body: string
  /** The page that a click opens. */
  readonly path: string
}

/** One notification for all the news. For several, it leads to the inbox. Undefined if nothing is new. Pure. */
export function newsOfAll(gathered: readonly News[], seen: ReadonlySet<string>): News | undefined {
  const fresh = [...new Map(gathered.map((news) => [news.tag, news])).values()].filter(({ tag }) => !seen.has(tag))
  if (fresh.length < 2) return fresh[0]
  const title = texts.severalNeedYou(fresh.length)
  return { tag: 'inbox', title, body: fresh.map((news) => news.title).join('\n'), path: '/' }
}
