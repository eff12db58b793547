import { Screen } from '../../shared/ui/screen.tsx'
import { Empty } from '../../shared/ui/states.tsx'

export function LogsScreen() {
  return (
    <Screen title="Logs">
      <Empty title="This screen is not built yet." />
    </Screen>
  )
}
