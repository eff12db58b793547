/** The title that the browser shows for this page: the screen, preceded by the number of waiting questions. */
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
