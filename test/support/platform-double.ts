import { isDeepStrictEqual } from 'node:util'
import { deadlineMs, WaitRanOut } from './eventually.ts'

/** A chat platform whose doings tests await: it looks for them anew whenever something happens to it. */
export abstract class PlatformDouble<Post extends { readonly chat: string; readonly text: string }> {
  readonly posts: Post[] = []
  readonly #looks = new Set<() => void>()

  textsIn(chat: string | number): string[] {
    return this.posts.filter((post) => post.chat === String(chat)).map(({ text }) => text)
  }

  /** Resolves as soon as there is something. `look` reads nothing but the double: nobody says when other things change. */
  async until<T>(look: () => T | undefined | false, what: string): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const again = (): void => {
      const found = look()
      if (found !== undefined && found !== false) resolve(found)
    }
    const runOut = (): void => {
      const seen = JSON.stringify(this.posts.map(({ chat, text }) => [chat, text]))
      reject(new WaitRanOut(`${what}: not within ${deadlineMs} ms, with these posts: ${seen}`))
    }
    const timer = setTimeout(runOut, deadlineMs)
    this.#looks.add(again)
    try {
      again()
      return await promise
    } finally {
      clearTimeout(timer)
      this.#looks.delete(again)
    }
  }

  /** Waits for a post in that chat which is this text, or matches it. */
  posted(chat: string | number, text: string | RegExp): Promise<Post> {
    const fits = (post: Post): boolean =>
      post.chat === String(chat) && (typeof text === 'string' ? post.text === text : text.test(post.text))
    return this.until(() => this.posts.find(fits), `${text} is posted in ${chat}`)
  }

  /** Waits until that chat has exactly these posts. */
  async shows(chat: string | number, ...texts: string[]): Promise<void> {
    await this.until(
      () => isDeepStrictEqual(this.textsIn(chat), texts),
      `${chat} has the posts ${JSON.stringify(texts)}`,
    )
  }

  /** The double calls this after whatever a test may await. */
  protected happened(): void {
    for (const again of this.#looks) again()
  }
}
