/** What the browser shows of this page: the screen, and before it how many questions wait. */
let [screen, waiting] = ['', 0]

export function titleScreen(title: string): void {
  screen = title
  show()
}

export function titleWaiting(count: number): void {
  waiting = count
  show()
}

function show(): void {
  const name = screen === '' ? 'Iris' : `${screen} · Iris`
  document.title = waiting > 0 ? `(${waiting}) ${name}` : name
}
