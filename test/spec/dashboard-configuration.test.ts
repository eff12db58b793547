import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Tab, TestBrowser } from '../support/browser.ts'
import { TestIris } from '../support/iris.ts'
import { count, reads } from '../support/page-waits.ts'

let browser: TestBrowser
beforeAll(async () => {
  browser = await TestBrowser.start()
})
afterAll(() => browser[Symbol.asyncDispose]())

/** An Iris with a file as a person writes one. */
async function startIris() {
  const iris = await TestIris.start({ claude: 'fake', teams: ['frontend', 'backend'], env: {} })
  const file = join(iris.world.home, 'config.yaml')
  const text = `# Ours. Do not touch.
settings:
    httpPort: 0      # any
    prewarmPairs: 0
    logLevel: error
    maxProcesses: 4    # for the small machine
    callsPerMinute: 1000000
    env: { TOKEN: s3cret }

teams:
    frontend: { path: ${iris.world.directory('frontend')}, description: 'The shop' }   # first
    # then the others
    backend:
        path:   ${iris.world.directory('backend')}
        description: the API
`
  writeFileSync(file, text)
  await iris.event('config-reloaded', ({ keys }) => keys.includes('settings.maxProcesses'))
  const onDisk = () => readFileSync(file, 'utf8')
  return { iris, file, text, onDisk, [Symbol.asyncDispose]: () => iris[Symbol.asyncDispose]() }
}

const editor = ({ page }: Tab) => page.getByRole('textbox', { name: 'config.yaml' })
const field = ({ page }: Tab, key: string) => page.locator(`[data-key="${key}"]`)
const review = ({ page }: Tab, is: { disabled?: boolean } = {}) =>
  page.getByRole('button', { name: 'Review and save', ...is })
/** The button of the dialog that saves. */
const save = (tab: Tab, is: { disabled?: boolean } = {}) =>
  dialog(tab).getByRole('button', { name: 'Save', exact: true, ...is })
const dialog = ({ page }: Tab) => page.getByRole('dialog', { name: 'Save config.yaml' })

/** Types at the end of the line with this text. */
async function typeAfter(tab: Tab, line: string, typed: string): Promise<void> {
  await editor(tab).locator('.cm-line', { hasText: line }).click()
  await tab.page.keyboard.press('End')
  await tab.page.keyboard.type(typed)
}

async function saveIt(tab: Tab): Promise<void> {
  await review(tab).click()
  await save(tab).click()
  await dialog(tab).waitFor({ state: 'hidden' })
  await tab.page.getByText('config.yaml is saved.').first().waitFor()
}

describe('the configuration is edited', () => {
  test('as text, shown with what changes before it is saved, and every other byte stays', async () => {
    await using here = await startIris()
    await using tab = await browser.open(here.iris, { path: '/configuration' })
    await editor(tab).getByText('# Ours. Do not touch.').waitFor()
    expect(await tab.page.content()).not.toContain('s3cret')
    await typeAfter(tab, 'the API', ', and more')
    await tab.page.getByText('Not saved yet').waitFor()
    await reads(field(tab, 'teams.backend.description').locator('input'), 'value', 'the API, and more')
    expect(await tab.barriers()).toEqual([])
    await review(tab).click()
    await dialog(tab).getByText('teams.backend.description: the API becomes the API, and more.').waitFor()
    const lines = await dialog(tab).getByLabel('Difference to config.yaml').getByRole('listitem').allInnerTexts()
    expect(lines.filter((line) => /With/.test(line)).map((line) => line.replaceAll(/\s+/g, ' '))).toEqual([
      'Without: − description: the API',
      'With: + description: the API, and more',
    ])
    expect(await tab.barriers()).toEqual([])
    await save(tab).click()
    await tab.page.getByText('config.yaml is saved.').first().waitFor()
    expect(here.onDisk()).toBe(here.text.replace('the API', 'the API, and more'))
    await here.iris.event('config-reloaded', ({ keys }) => keys.join() === 'teams.backend.description')
    await review(tab, { disabled: true }).waitFor()
    expect(tab.troubles).toEqual([])
  })

  test('by a field of the form, which changes only its value in the text', async () => {
    await using here = await startIris()
    await using tab = await browser.open(here.iris, { path: '/configuration', width: 1920, height: 1080 })
    const most = tab.page.getByLabel('maxProcesses')
    await editor(tab).getByText('maxProcesses: 4').waitFor()
    await most.press('ControlOrMeta+a')
    await most.press('Delete')
    await most.pressSequentially('12')
    await editor(tab).getByText('maxProcesses: 12    # for the small machine').waitFor()
    await tab.page.getByLabel('onContextFull').selectOption('rotate')
    await tab.page.getByLabel('budget.turns').fill('50')
    await tab.page.getByRole('heading', { level: 1 }).scrollIntoViewIfNeeded()
    await saveIt(tab)
    expect(here.onDisk()).toBe(
      here.text
        .replace('maxProcesses: 4', 'maxProcesses: 12')
        .replace('s3cret }\n', 's3cret }\n    onContextFull: rotate\n    budget:\n      turns: 50\n'),
    )
    await tab.page.getByLabel('budget.turns').fill('')
    await tab.page.getByLabel('onContextFull').selectOption('not written (in force: rotate)')
    await saveIt(tab)
    expect(here.onDisk()).toBe(here.text.replace('maxProcesses: 4', 'maxProcesses: 12'))
  })

  test('and what waits for a start says so', async () => {
    await using here = await startIris()
    await using tab = await browser.open(here.iris, { path: '/configuration' })
    await tab.page.getByLabel('httpPort').fill('1615')
    await review(tab).click()
    await dialog(tab).getByText('needs a restart').waitFor()
    await save(tab).click()
    await tab.page.getByText('take effect when Iris restarts (iris stop, iris start): settings.httpPort').waitFor()
    expect(here.onDisk()).toContain('httpPort: 1615')
  })
})

describe('what may not be saved', () => {
  test('a mistake is shown at its line and in words as it is typed, until it is corrected', async () => {
    await using here = await startIris()
    await using tab = await browser.open(here.iris, { path: '/configuration' })
    await typeAfter(tab, 'prewarmPairs', '\nqueueLength: many')
    const mistakes = tab.page.getByRole('status', { name: 'Mistakes' })
    await mistakes.getByText('is text where a number belongs').waitFor()
    await mistakes.getByText('settings.queueLength').waitFor()
    await editor(tab).locator('.cm-lintRange-error', { hasText: 'queueLength: many' }).waitFor()
    await mistakes.getByRole('button', { name: 'Line 5' }).click()
    expect(await editor(tab).evaluate((element) => element.ownerDocument.activeElement === element)).toBe(true)
    expect(await tab.barriers()).toEqual([])
    await review(tab).click()
    await dialog(tab).getByText('Fix its mistakes first').waitFor()
    await save(tab, { disabled: true }).waitFor()
    await dialog(tab).getByRole('button', { name: 'Keep editing' }).click()
    await tab.page.getByLabel('queueLength').fill('3')
    await mistakes.getByText('is text where a number belongs').waitFor({ state: 'hidden' })
    await saveIt(tab)
    expect(here.onDisk()).toBe(here.text.replace('prewarmPairs: 0', 'prewarmPairs: 0\n    queueLength: 3'))
  })

  test('what makes commands run is read-only in the form, and refused from the text with what to do', async () => {
    await using here = await startIris()
    await using tab = await browser.open(here.iris, { path: '/configuration' })
    const program = field(tab, 'settings.claudePath')
    await program.getByText('read-only here').waitFor()
    await program.getByText(`change it in ${here.file} with an editor on this machine`).waitFor()
    expect(await program.getByRole('textbox').isEditable()).toBe(false)
    const isolation = await tab.page.getByLabel('isolation', { exact: true }).first().locator('option').allInnerTexts()
    expect(isolation).toEqual(['not written (in force: home)', 'sandbox', 'home'])
    await typeAfter(tab, 'prewarmPairs', '\nclaudePath: /bin/sh')
    await review(tab).click()
    await dialog(tab).getByText('chooses the program that runs as you').waitFor()
    await dialog(tab).getByText(`Change it in ${here.file} with an editor on this machine`).waitFor()
    await save(tab, { disabled: true }).waitFor()
    expect(here.onDisk()).toBe(here.text)
  })
})

describe('nothing that was typed is lost', () => {
  test('when the file changes underneath: both are shown, and each can be taken or mixed', async () => {
    await using here = await startIris()
    await using tab = await browser.open(here.iris, { path: '/configuration' })
    await typeAfter(tab, 'the API', ' of mine')
    const theirs = here.text.replace('maxProcesses: 4', 'maxProcesses: 7').replace('The shop', 'Their shop')
    writeFileSync(here.file, theirs)
    const alert = tab.page.getByRole('alert').filter({ hasText: 'has changed since you began' })
    await alert.waitFor()
    await editor(tab).getByText('Their shop').waitFor()
    await count(editor(tab).getByText('the API of mine'), 1)
    expect(await tab.barriers()).toEqual([])

    await alert.getByRole('button', { name: 'Use theirs' }).click()
    await editor(tab).getByText('the API of mine').waitFor({ state: 'detached' })
    await tab.page.getByRole('button', { name: 'Restore it' }).click()
    await editor(tab).getByText('the API of mine').waitFor()
    await count(editor(tab).getByText('The shop'), 1)

    writeFileSync(here.file, theirs.replace('maxProcesses: 7', 'maxProcesses: 8'))
    await alert.waitFor()
    // Theirs of the number, by keyboard.
    const number = editor(tab).locator('.cm-deletedChunk', { hasText: 'maxProcesses: 8' })
    await number.getByRole('button', { name: 'Use theirs' }).press('Enter')
    await number.waitFor({ state: 'detached' })
    await alert.getByRole('button', { name: 'Continue with my text' }).click()
    await saveIt(tab)
    expect(here.onDisk()).toBe(
      here.text.replace('maxProcesses: 4', 'maxProcesses: 8').replace('the API', 'the API of mine'),
    )
    expect(tab.troubles).toEqual([])
  })

  test('when only a save finds out that the file has changed', async () => {
    await using here = await startIris()
    await using tab = await browser.open(here.iris, { path: '/configuration' })
    await typeAfter(tab, 'the API', ' of mine')
    // A comment changes nothing in force, so nothing is announced.
    writeFileSync(here.file, here.text.replace('# first', '# one'))
    await review(tab).click()
    await save(tab).click()
    await tab.page.getByRole('alert').filter({ hasText: 'has changed since you began' }).waitFor()
    await tab.page.getByRole('button', { name: 'Continue with my text' }).click()
    await saveIt(tab)
    expect(here.onDisk()).toContain('the API of mine')
  })

  test('when Iris goes away and comes back, on another screen, and before the tab closes', async () => {
    await using here = await startIris()
    const { iris } = here
    const withPort = here.text.replace('httpPort: 0', `httpPort: ${iris.port}`)
    writeFileSync(here.file, withPort)
    await iris.event('config-reloaded', ({ keys }) => keys.includes('settings.httpPort'))
    await using tab = await browser.open(iris, { path: '/configuration' })
    await typeAfter(tab, 'the API', ' of mine')
    await iris.daemon.stop(0)
    await tab.page.getByText("Iris isn't responding").waitFor()
    await review(tab).click()
    await dialog(tab).getByText("Iris can't be reached.").waitFor()
    await dialog(tab).getByRole('button', { name: 'Keep editing' }).click()
    await iris.restart()
    await tab.page.getByText("Iris isn't responding").waitFor({ state: 'hidden' })
    await tab.page.getByRole('link', { name: 'Switchboard' }).click()
    await tab.page.getByRole('heading', { level: 1, name: 'Switchboard' }).waitFor()
    await tab.page.getByRole('link', { name: 'Configuration' }).click()
    await editor(tab).getByText('the API of mine').waitFor()
    const warned = tab.page.waitForEvent('dialog')
    const left = tab.page.reload().catch(() => {})
    const warning = await warned
    expect(warning.type()).toBe('beforeunload')
    await warning.dismiss()
    void left
    await saveIt(tab)
    expect(here.onDisk()).toBe(withPort.replace('the API', 'the API of mine'))
  })
})

test('a file that is no YAML is not shown, with why and what to do', async () => {
  await using here = await startIris()
  await using tab = await browser.open(here.iris, { path: '/configuration' })
  await editor(tab).waitFor()
  writeFileSync(here.file, 'settings: {')
  await tab.page.getByText('this is not YAML').first().waitFor()
  await tab.page.getByText(`Correct ${here.file} with an editor on this machine`).waitFor()
  expect(here.onDisk()).toBe('settings: {')
})

test('it works at 360 pixels, in dark colours and by keyboard', async () => {
  await using here = await startIris()
  await using tab = await browser.open(here.iris, {
    path: '/configuration',
    width: 360,
    height: 740,
    colorScheme: 'dark',
  })
  await editor(tab).waitFor()
  expect(await tab.fitsWidth()).toBe(true)
  expect(await tab.barriers()).toEqual([])
  await editor(tab).focus()
  await tab.page.keyboard.press('ControlOrMeta+Home')
  await tab.page.keyboard.press('Tab')
  await editor(tab).getByText('  # Ours').waitFor()
  await tab.page.keyboard.press('Escape')
  await tab.page.keyboard.press('Tab')
  expect(await editor(tab).evaluate((element) => element.contains(element.ownerDocument.activeElement))).toBe(false)
  await review(tab).click()
  await dialog(tab).getByText('Comments, order or spaces change').waitFor()
  expect(await tab.fitsWidth()).toBe(true)
})
