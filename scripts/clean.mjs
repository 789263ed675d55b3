// A deleted source must not live on as a compiled file: stale tests would still run.
import { rmSync } from 'node:fs';

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
