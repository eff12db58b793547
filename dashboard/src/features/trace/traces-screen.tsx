import { Screen } from '../../shared/ui/screen.tsx'
import { Empty } from '../../shared/ui/states.tsx'

export function TracesScreen() {
  return (
    <Screen title="Traces">
      <Empty title="This screen is not built yet." />
    </Screen>
  )
}
