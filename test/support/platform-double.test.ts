import { expect, test } from 'vitest'
import { PlatformDouble } from './platform-double.ts'

class Platform extends PlatformDouble<{ readonly chat: string; text: string }> {
  take(chat: string, text: string): void {
    this.posts.push({ chat, text })
    this.happened()
  }

  edit(text: string): void {
    this.posts[0]!.text = text
    this.happened()
  }
}

test('what happens to a platform is awaited, and what has happened before counts', async () => {
  const platform = new Platform()
  const [answered, edited, all] = [
    platform.posted(42, 'yes'),
    platform.posted(42, /^no,/),
    platform.shows(42, 'no, later', 'and more'),
  ]
  let isOver = false
  void all.then(() => (isOver = true))
  platform.take('43', 'yes')
  platform.take('42', 'yes')
  expect(await answered).toBe(platform.posts[1])
  platform.posts.shift()
  platform.edit('no, later')
  expect(await edited).toBe(platform.posts[0])
  expect(isOver).toBe(false)
  platform.take('42', 'and more')
  await all
  expect(await platform.until(() => platform.posts.length, 'two posts')).toBe(2)
})
