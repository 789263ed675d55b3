/*
 * Stands in for PowerShell, which Wine does not have: records the words and the input of each call below C:\recorded, one file
 * each, and answers the question for presence by the same calls to Windows. Other words do what only a program of Windows can.
 */
#include <windows.h>
#include <wtsapi32.h>
#include <aclapi.h>
#include <sddl.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

static void write_all(const wchar_t *kind, const void *bytes, DWORD length) {
  wchar_t path[200];
  swprintf(path, 200, L"C:\\recorded\\%lu-%lu.%ls", GetTickCount(), GetCurrentProcessId(), kind);
  HANDLE file = CreateFileW(path, GENERIC_WRITE, FILE_SHARE_READ, NULL, CREATE_ALWAYS, 0, NULL);
  DWORD done;
  if (file == INVALID_HANDLE_VALUE) return;
  WriteFile(file, bytes, length, &done, NULL);
  CloseHandle(file);
}

/* The script of -EncodedCommand; ASCII is enough to know it. */
static void decode(const wchar_t *word, char *script, size_t room) {
  static const char signs[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned bits = 0, held = 0;
  size_t at = 0, length = 0;
  for (; *word && *word != L'='; word++) {
    const char *sign = strchr(signs, (char)*word);
    if (!sign) break;
    bits = bits << 6 | (unsigned)(sign - signs);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    if (at++ % 2 == 0 && length + 1 < room) script[length++] = (char)(bits >> held);
  }
  script[length] = 0;
}

/* WTSINFOEXW of wtsapi32.h, which mingw-w64 does not have. */
struct session {
  DWORD level;
  struct {
    ULONG id;
    WTS_CONNECTSTATE_CLASS state;
    LONG flags;
    WCHAR station[33], user[21], domain[18];
    LARGE_INTEGER times[5];
    DWORD counts[6];
  } one;
};

static int presence(void) {
  LASTINPUTINFO info = {sizeof info, 0};
  struct session *found = NULL;
  DWORD bytes = 0;
  long long idle = -1;
  long flags = -1;
  if (sizeof info != 8 || offsetof(struct session, one.flags) != 16) return 3;
  if (GetLastInputInfo(&info)) idle = (DWORD)(GetTickCount() - info.dwTime);
  if (WTSQuerySessionInformationW(NULL, WTS_CURRENT_SESSION, 25, (LPWSTR *)&found, &bytes)) {
    if (bytes >= 20) flags = found->one.flags;
    WTSFreeMemory(found);
  }
  printf("idle %lld flags %ld\r\n", idle, flags);
  return 0;
}

static int pipe_access(const wchar_t *name) {
  PSECURITY_DESCRIPTOR descriptor = NULL;
  LPSTR text = NULL;
  HANDLE pipe = CreateFileW(name, READ_CONTROL, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
  if (pipe == INVALID_HANDLE_VALUE) return printf("error %lu\n", GetLastError()), 1;
  DWORD wanted = OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION;
  DWORD trouble = GetSecurityInfo(pipe, SE_KERNEL_OBJECT, wanted, NULL, NULL, NULL, NULL, &descriptor);
  if (trouble) return printf("error %lu\n", trouble), 1;
  if (!ConvertSecurityDescriptorToStringSecurityDescriptorA(descriptor, SDDL_REVISION_1, wanted, &text, NULL)) return printf("error %lu\n", GetLastError()), 1;
  printf("%s\n", text);
  return 0;
}

/* Keeps a file open as a virus scanner does, until another program has its replacement ready. */
static int hold(const wchar_t *path) {
  wchar_t fresh[600];
  WIN32_FIND_DATAW found;
  HANDLE file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL), search;
  if (file == INVALID_HANDLE_VALUE) return 1;
  CreateDirectoryW(L"C:\\recorded", NULL);
  write_all(L"held", "", 0);
  swprintf(fresh, 600, L"%ls.*", path);
  for (int look = 0; look < 6000; look++, Sleep(10)) {
    search = FindFirstFileW(fresh, &found);
    if (search == INVALID_HANDLE_VALUE) continue;
    /* This pattern also finds the file itself. */
    int more = wcscmp(wcsrchr(path, L'\\') + 1, found.cFileName) || FindNextFileW(search, &found);
    FindClose(search);
    if (!more) continue;
    Sleep(300);
    CloseHandle(file);
    return 0;
  }
  return 2;
}

/*
 * Runs a program in a console of its own until it ends or a file is there; then sends Ctrl-C to the console, or closes its window, or ends what still runs.
 * The exit code is that of the program.
 */
static int in_console(const wchar_t *event, const wchar_t *mark, wchar_t *line) {
  STARTUPINFOW info = {.cb = sizeof info};
  PROCESS_INFORMATION child;
  DWORD code = 200;
  FreeConsole();
  if (!AllocConsole()) return 201;
  SetConsoleCtrlHandler(NULL, FALSE);
  if (!CreateProcessW(NULL, line, NULL, NULL, FALSE, 0, NULL, NULL, &info, &child)) return 202;
  for (int look = 0; look < 4000; look++) {
    if (WaitForSingleObject(child.hProcess, 50) == WAIT_OBJECT_0) break;
    if (GetFileAttributesW(mark) != INVALID_FILE_ATTRIBUTES) break;
  }
  HWND window = NULL;
  for (int look = 0; look < 100 && !(window = GetConsoleWindow()); look++) Sleep(50);
  /* It begins hidden, like this program. */
  if (window) ShowWindow(window, SW_SHOWNORMAL);
  if (!wcscmp(event, L"nothing")) {
    TerminateProcess(child.hProcess, 206);
  } else if (!wcscmp(event, L"interrupt")) {
    SetConsoleCtrlHandler(NULL, TRUE);
    if (!GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0)) return 203;
  } else {
    FreeConsole();
    if (!window || !PostMessageW(window, WM_CLOSE, 0, 0)) return 204;
  }
  if (WaitForSingleObject(child.hProcess, 20000) != WAIT_OBJECT_0) return 205;
  GetExitCodeProcess(child.hProcess, &code);
  return (int)code;
}

/* Keeps a file open, as programs that follow a log do: others may write it, and neither move nor delete it. */
static int follow(const wchar_t *path, DWORD seconds) {
  HANDLE file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
  if (file == INVALID_HANDLE_VALUE) return 1;
  Sleep(seconds * 1000);
  CloseHandle(file);
  return 0;
}

int wmain(int count, wchar_t **words) {
  static char input[1 << 20], script[1 << 16];
  size_t length = 0;
  DWORD got;
  if (count == 3 && !wcscmp(words[1], L"--pipe")) return pipe_access(words[2]);
  if (count == 3 && !wcscmp(words[1], L"--hold")) return hold(words[2]);
  if (count == 4 && !wcscmp(words[1], L"--follow")) return follow(words[2], (DWORD)_wtoi(words[3]));
  if (count == 5 && !wcscmp(words[1], L"--console")) return in_console(words[2], words[3], words[4]);
  CreateDirectoryW(L"C:\\recorded", NULL);
  decode(words[count - 1], script, sizeof script);
  if (strstr(script, "GetLastInputInfo")) return presence();
  if (strstr(script, "SetForegroundWindow")) {
    write_all(L"focus", script, (DWORD)strlen(script));
    return 0;
  }
  HANDLE source = GetStdHandle(STD_INPUT_HANDLE);
  while (length < sizeof input && ReadFile(source, input + length, (DWORD)(sizeof input - length), &got, NULL) && got) length += got;
  write_all(L"words", GetCommandLineW(), (DWORD)(wcslen(GetCommandLineW()) * 2));
  write_all(L"toast", input, (DWORD)length);
  return 0;
}
