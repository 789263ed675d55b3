import type { Driver, OpenDriver, Statement } from '../../src/store/sqlite/driver.ts';
import { loadDriver } from '../../src/store/sqlite/driver.ts';

/** What a test may do where the store calls SQLite. */
export interface DriverHooks {
  readonly onOpen?: () => void;
  /** Called with each statement that is run; what it throws is thrown there. */
  readonly onRun?: (sql: string) => void;
}

/** The real driver, watched. */
export async function watchedDriver({ onOpen, onRun }: DriverHooks): Promise<OpenDriver> {
  const open = await loadDriver();
  return (path) => {
    // In memory the store makes what it compares the schema with.
    if (path === ':memory:') return open(path);
    onOpen?.();
    return watch(open(path), onRun);
  };
}

function watch(driver: Driver, onRun: DriverHooks['onRun']): Driver {
  return {
    exec: (sql) => driver.exec(sql),
    close: () => driver.close(),
    prepare(sql) {
      const statement = driver.prepare(sql);
      const watched: Statement = {
        run(...values) {
          onRun?.(sql);
          return statement.run(...values);
        },
        get(...values) {
          onRun?.(sql);
          return statement.get(...values);
        },
        all(...values) {
          onRun?.(sql);
          return statement.all(...values);
        },
      };
      return watched;
    },
  };
}

/** An error as SQLite's drivers throw it. */
export function sqliteError(errcode: number, message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode });
}
