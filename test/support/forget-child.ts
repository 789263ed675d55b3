import { openServerStore } from '../../src/store/postgres/open-server-store.ts';

/** A process that erases a person from the database of a hub, to be killed: URL, then address. */
const [url = '', email = ''] = process.argv.slice(2);
const { store, hub } = await openServerStore({ url });
await hub.forgetPerson({ email, actor: { type: 'admin', name: 'root@hub-1' } });
await store.close();
