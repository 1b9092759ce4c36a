"""An agent that does what its task says: honest, curious or malicious. Its source is the command of a test image."""

import contextlib
import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

CASE = "/tmp/case"
ACTION = '{"action": "click", "coordinate": [580, 320], "rationale": "The dialog asks for it."}'


def ask(**body):
    data = json.dumps(body).encode()
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    with urllib.request.urlopen(urllib.request.Request(url, data, headers)) as answer:
        return answer.read().decode()


def said(text):
    return json.loads(text)["choices"][0]["message"]["content"]


def user(text, *images):
    parts = [{"type": "text", "text": text}]
    parts += [{"type": "image_url", "image_url": {"url": i}} for i in images]
    return {"role": "user", "content": parts}


def picture(name):
    import base64

    with open(os.path.join(CASE, name), "rb") as file:
        return "data:image/png;base64," + base64.b64encode(file.read()).decode()


def content(path):
    with open(path, "rb") as file:
        return file.read().decode("utf-8", "replace")


def everything():
    """All that can be read here: environment, processes, mounts, files that are not the image's own."""
    seen = {"env": dict(os.environ), "files": {}, "proc": {}}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            for name in ("cmdline", "environ", "status", "comm"):
                with contextlib.suppress(OSError):
                    seen["proc"][f"{entry}/{name}"] = content(f"/proc/{entry}/{name}")
    for name in ("mounts", "self/mountinfo", "self/cgroup", "sys/kernel/hostname", "net/dev", "net/unix", "cmdline"):
        with contextlib.suppress(OSError):
            seen["proc"][name] = content("/proc/" + name)
    for root in ("/tmp", "/dev", "/run", "/etc", "/home", "/root", "/srv", "/mnt", "/opt", "/var/tmp"):
        for folder, _, names in os.walk(root):
            for name in names:
                path = os.path.join(folder, name)
                try:
                    if not os.path.isfile(path) or os.path.realpath(path).startswith("/proc/"):
                        continue
                    with open(path, "rb") as file:
                        data = file.read(1 << 20)
                except OSError:
                    continue
                if path == CASE + "/request.json" or folder == "/etc":
                    seen["files"][path] = data.decode("utf-8", "replace")
                else:
                    seen["files"][path] = hashlib.sha256(data).hexdigest()
    return seen


def main():
    with open(CASE + "/request.json", encoding="utf-8") as file:
        request = json.load(file)
    task = request["task"]
    if task == "pass on":
        first = user("Describe the screen.", picture("now.png"))
        system = {"role": "system", "content": request["instruction"]}
        one = said(ask(model="any", messages=[system, first]))
        again = [system, first, {"role": "assistant", "content": one}, user("Now act.", "now.png")]
        print(
            said(
                ask(model="any", messages=again, temperature=2, tools=[{"type": "function", "function": {"name": "f"}}])
            )
        )
    elif task == "stream":
        print(ask(messages=[user("Act.")], stream=True, stream_options={"include_usage": True}))
    elif task == "models":
        with urllib.request.urlopen(os.environ["OPENAI_BASE_URL"] + "/models") as answer:
            print(answer.read().decode())
    elif task == "look":
        print(json.dumps(everything()))
    elif task == "where":
        print(content("/proc/1/stat").rpartition(")")[2].split()[19])  # when the container's first process started
    elif task == "leave":
        for place in ("/tmp/note", "/dev/shm/note"):
            with open(place, "w") as file:
                file.write("was here")
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
        print("left")
    elif task == "find":
        notes = [p for p in ("/tmp/note", "/dev/shm/note") if os.path.exists(p)]
        print(json.dumps([notes, len([p for p in os.listdir("/proc") if p.isdigit()])]))  # init, the shim, this one
    elif task == "many calls":
        for _ in range(1000):
            try:
                ask(messages=[user("Again.")])
            except urllib.error.HTTPError as error:
                print(ACTION if error.code == 429 else "?")
                return
    elif task == "bad calls":
        codes = []
        bodies = (
            {}, {"messages": "x"}, {"messages": [{"role": "nobody", "content": ""}]},
            {"messages": [user("", "http://example.org/x.png")]}, {"messages": [user("", "file:///etc/passwd")]},
            {"messages": [user("", "data:image/png;base64,AAAA")]}, {"messages": [user("", "../request.json")]},
        )  # fmt: skip
        for body in bodies:
            try:
                ask(**body)
                codes.append(200)
            except urllib.error.HTTPError as error:
                codes.append(error.code)
        print(json.dumps(codes))
    elif task == "fork":
        while True:
            try:
                os.fork()
            except OSError:
                time.sleep(0.01)
    elif task == "fork and act":
        for _ in range(300):
            try:
                if os.fork() == 0:
                    time.sleep(600)
            except OSError:
                break
        print(ACTION)
    elif task == "memory":
        held = []
        while True:
            held.append(bytearray(b"x" * (16 << 20)))
    elif task == "disk":
        failed = []
        for place in ("/tmp/fill", "/dev/shm/fill", "/fill", "/usr/fill"):
            try:
                with open(place, "wb") as file:
                    while True:
                        file.write(b"x" * (1 << 20))
            except OSError as error:
                failed.append(error.errno)
        print(json.dumps(failed))
    elif task == "print":
        for _ in range(1024):
            sys.stdout.write("x" * (1 << 20))
    elif task == "complain":
        for _ in range(64):
            sys.stderr.write("x" * (1 << 20))
        print(ACTION)
    elif task == "close":
        for number in range(3, 64):
            with contextlib.suppress(OSError):
                os.close(number)
        os.close(0), os.close(1), os.close(2)
        os._exit(0)
    elif task == "wait":
        time.sleep(600)
    elif task == "crash":
        raise RuntimeError("no such luck")
    elif task == "network":
        failed = []
        for address in (("192.0.2.1", 80), ("198.51.100.7", 443), ("172.17.0.1", 2375)):
            try:
                socket.create_connection(address, timeout=2)
                failed.append("connected")
            except OSError as error:
                failed.append(error.errno)
        try:
            socket.getaddrinfo("example.org", 80)
            failed.append("resolved")
        except OSError:
            failed.append("no name")
        print(json.dumps(failed))
    elif task == "kill":
        for pid in range(1, 400):
            if pid != os.getpid():
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(600)
    elif task == "pry":
        tried = []
        for pid in os.listdir("/proc"):
            if pid.isdigit() and int(pid) not in (1, os.getpid()):  # init has nothing that this one does not have
                for name, mode in (("mem", "rb"), ("environ", "rb"), ("fd/3", "rb"), ("fd/4", "wb")):
                    try:
                        with open(f"/proc/{pid}/{name}", mode):
                            tried.append(name)
                    except OSError:
                        pass
        print(json.dumps(tried))
    else:
        print(ACTION)


main()
