import { StoreError } from '../core/store-error.ts';
import type { OpenStoreOptions } from '../store/open-store.ts';
import { openStore } from '../store/open-store.ts';
import type { DiskReserve } from './ballast.ts';

/**
 * Opens the store, with the room of the ballast where there is no other.
 *
 * @throws StoreError as `openStore` does
 */
export async function openStoreOnFullDisk(
  options: OpenStoreOptions,
  ballast: Pick<DiskReserve, 'release'>,
): ReturnType<typeof openStore> {
  try {
    return await openStore(options);
  } catch (error) {
    const isFull = error instanceof StoreError && error.code === 'full';
    if (!isFull || !(await ballast.release())) throw error;
    return openStore(options);
  }
}
