//! A headless browser, controlled over the DevTools protocol on two pipes.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// Names of the programs that are looked for.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// A page in a browser.
pub(crate) struct Browser {
    process: Child,
    requests: File,
    answers: BufReader<File>,
    session: Option<String>,
    number: u64,
    _folder: TempDir,
}

impl Browser {
    /// A page at an address, unless there is no browser on this machine.
    pub(crate) fn open(address: &str, (width, height): (u32, u32)) -> Option<Browser> {
        let is_there = |name: &&&str| {
            let version = Command::new(name).arg("--version").output();
            version.is_ok_and(|output| output.status.success())
        };
        let Some(name) = NAMES.iter().find(is_there) else {
            super::skipped(&format!("there is none of {}", NAMES.join(", ")));
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let pipe = |name: &str| {
            let path = folder.path().join(name);
            let made = Command::new("mkfifo").arg(&path).status().unwrap();
            assert!(made.success());
            path
        };
        let (requests, answers) = (pipe("requests"), pipe("answers"));
        // The browser reads requests at descriptor 3 and writes answers at 4.
        let script = "exec \"$@\" 3<\"$REQUESTS\" 4>\"$ANSWERS\"";
        let profile = folder.path().join("profile");
        let process = Command::new("sh")
            .args(["-c", script, "sh", name])
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--remote-debugging-pipe",
            ])
            .args(["--hide-scrollbars", "--disable-background-networking"])
            .arg(format!("--window-size={width},{height}"))
            .arg(format!("--user-data-dir={}", profile.display()))
            .env("REQUESTS", &requests)
            .env("ANSWERS", &answers)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Opening a pipe waits for the other side.
        let requests = File::options().write(true).open(&requests).unwrap();
        let answers = BufReader::new(File::open(&answers).unwrap());
        let mut browser = Browser {
            process,
            requests,
            answers,
            session: None,
            number: 0,
            _folder: folder,
        };
        let target = browser.query("Target.createTarget", json!({ "url": address }));
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.query("Target.attachToTarget", target);
        browser.session = Some(session["sessionId"].as_str().unwrap().to_string());
        Some(browser)
    }

    /// Sends a request that succeeds, and waits for the result.
    fn query(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer(method, params);
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Sends a request and waits for the answer.
    fn answer(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let mut request = json!({ "id": self.number, "method": method, "params": params });
        if let Some(session) = &self.session {
            request["sessionId"] = json!(session);
        }
        self.requests
            .write_all(format!("{request}\0").as_bytes())
            .unwrap();
        loop {
            let mut answer = Vec::new();
            let read = self.answers.read_until(0, &mut answer).unwrap();
            assert!(read > 0, "the browser has ended");
            answer.pop();
            let answer: Value = serde_json::from_slice(&answer).unwrap();
            if answer["id"] == json!(self.number) {
                return answer;
            }
        }
    }

    /// The value of a JavaScript expression.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let params =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = loop {
            let answer = self.answer("Runtime.evaluate", params.clone());
            // The page that was there before may go away meanwhile.
            let error = answer["error"]["message"].as_str();
            match error.is_some_and(|error| error.contains("context was destroyed")) {
                true => thread::sleep(Duration::from_millis(20)),
                false => break answer,
            }
        };
        let result = &answer["result"];
        assert!(answer["error"].is_null(), "{expression}: {answer}");
        assert!(
            result["exceptionDetails"].is_null(),
            "{expression}: {result}"
        );
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub(crate) fn wait_for(&mut self, expression: &str) {
        let wait = format!(
            "new Promise(done => {{ const look = () => {{ let is = false; try {{ is = Boolean({expression}) }} \
             catch {{}} is ? done(true) : setTimeout(look, 20) }}; look() }})"
        );
        self.value(&wait);
    }

    /// Presses a key and lets it go.
    pub(crate) fn press(&mut self, key: &str) {
        let text = match key {
            "Enter" => "\r",
            key if key.chars().count() == 1 => key,
            _ => "",
        };
        for kind in ["keyDown", "keyUp"] {
            let params = json!({ "type": kind, "key": key, "code": key, "text": if kind == "keyDown" { text } else { "" },
                "windowsVirtualKeyCode": if key == "Enter" { 13 } else { 0 } });
            self.query("Input.dispatchKeyEvent", params);
        }
    }

    /// Writes a picture of the page to a file (PNG).
    pub(crate) fn photograph(&mut self, file: &Path) {
        let shot = self.query("Page.captureScreenshot", json!({ "format": "png" }));
        std::fs::write(file, decoded(shot["data"].as_str().unwrap())).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The bytes of a text in base 64.
fn decoded(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text
        .bytes()
        .filter_map(|byte| DIGITS.iter().position(|&digit| digit == byte));
    let digits: Vec<usize> = digits.collect();
    let bytes = digits.chunks(4).flat_map(|chunk| {
        let number =
            chunk.iter().fold(0, |number, digit| number << 6 | digit) << (6 * (4 - chunk.len()));
        let bytes = [number >> 16, number >> 8, number].map(|byte| byte as u8);
        bytes.into_iter().take(chunk.len() - 1)
    });
    bytes.collect()
}
