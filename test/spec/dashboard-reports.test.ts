import { expect, test } from 'vitest'
import { TestBrowser } from '../support/browser.ts'
import { ask } from '../support/call-tool.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { TestIris } from '../support/iris.ts'
import { count } from '../support/page-waits.ts'

test('what an agent says after its answer appears below it, in a conversation and in the chat', async () => {
  using fake = fakeClaude({
    script: (file) => ({
      rules: [
        { when: 'task-notification', steps: [{ text: 'The build **FAILED**.' }] },
        {
          when: 'build',
          steps: [{ backgroundTask: { id: 'b1', endsAfterFile: file('built') } }, { text: 'It builds.' }],
        },
      ],
    }),
  })
  const settings = { claudePath: fake.claudePath, env: { ...fake.env } }
  await using iris = await TestIris.start({ settings, teams: ['frontend', 'backend'] })
  await using browser = await TestBrowser.start()
  const { sessionId } = await ask(iris, 'backend', 'build it', { fromTeam: 'frontend' })
  await using tab = await browser.open(iris, { path: `/conversations/${sessionId}` })
  await using chat = await browser.open(iris, { path: '/chat' })
  await tab.page.getByText('It builds.').waitFor()
  await chat.page.getByRole('combobox', { name: 'Team' }).selectOption('backend')
  await chat.page.getByRole('button', { name: 'New conversation' }).click()
  await chat.page.getByRole('textbox', { name: /^Message to/ }).fill('build too')
  await chat.page.getByRole('button', { name: 'Send' }).click()
  await chat.page.getByText('It builds.').waitFor()

  const below = tab.page.getByRole('list', { name: 'Reported after this answer' })
  const inChat = chat.page.getByRole('list', { name: 'It said later:' })
  await count(below, 0)
  await count(inChat, 0)
  fake.open('built')
  await below.locator('strong', { hasText: 'FAILED' }).waitFor()
  await inChat.locator('strong', { hasText: 'FAILED' }).waitFor()
  for (const each of [tab, chat]) {
    expect(await each.barriers()).toEqual([])
    expect(each.troubles).toEqual([])
  }
})
