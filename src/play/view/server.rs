//! The requests of the page.
//!
//! Foreign pages, open in the same browser, can reach this port, too. They may not read answers,
//! since no header allows that; requests that change something must be of a type that they may not
//! send either; and the host must be this machine, whatever a name server says (DNS rebinding).

use std::io;
use std::net::TcpStream;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Shared;
use super::message::{GoRequest, MachinesRequest, PlayRequest, SceneMessage, ThinkingMessage};
use super::scene::{Scene, SceneError};
use crate::play::ggp::http::{self, Head, HttpError, Reader, SUCCESS};
use crate::play::ggp::listener::Connection;

/// The files of the page: their addresses, types and texts.
const FILES: [(&str, &str, &str); 5] = [
    ("/", "text/html", include_str!("page/index.html")),
    ("/view.css", "text/css", include_str!("page/view.css")),
    ("/view.js", "text/javascript", include_str!("page/view.js")),
    (
        "/board.js",
        "text/javascript",
        include_str!("page/board.js"),
    ),
    (
        "/panels.js",
        "text/javascript",
        include_str!("page/panels.js"),
    ),
];

/// The headers of every answer: the page loads nothing from anywhere else.
const HEADERS: &str = "Connection: close\r\nCache-Control: no-store\r\n\
     X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
     Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; \
     connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'";

/// An answer: the status, the type, and the text.
type Answer = (&'static str, &'static str, String);

const BAD_REQUEST: &str = "HTTP/1.0 400 Bad Request";
const FORBIDDEN: &str = "HTTP/1.0 403 Forbidden";
const NOT_FOUND: &str = "HTTP/1.0 404 Not Found";
const METHOD_NOT_ALLOWED: &str = "HTTP/1.0 405 Method Not Allowed";
const CONFLICT: &str = "HTTP/1.0 409 Conflict";

/// Answers a request.
pub(super) fn serve(connection: &Connection<'_>, shared: &Shared) {
    let stream = connection.stream();
    let answer = match connection.read(read) {
        Ok((head, body)) => answer(&head, &body, shared),
        Err(HttpError::Stopped | HttpError::Closed | HttpError::Io(_)) => return,
        Err(error) => refuse(BAD_REQUEST, &error.to_string()),
    };
    if let Err(error) = send(stream, &answer) {
        tracing::info!(%error, "the client did not accept the response");
    }
}

fn read(reader: &mut Reader<'_>) -> Result<(Head, String), HttpError> {
    let head = reader.head()?;
    let body = match head.first_line.starts_with("POST ") {
        true => reader.body(&head)?,
        false => String::new(),
    };
    Ok((head, body))
}

fn send(stream: &TcpStream, (status, kind, text): &Answer) -> io::Result<()> {
    let head = format!("{status}\r\nContent-Type: {kind}; charset=utf-8\r\n{HEADERS}");
    http::send(stream, &head, text)?;
    http::close(stream);
    Ok(())
}

fn answer(head: &Head, body: &str, shared: &Shared) -> Answer {
    if !head.host.as_deref().is_none_or(is_this_machine) {
        return refuse(FORBIDDEN, "only pages from 127.0.0.1 are served");
    }
    let mut words = head.first_line.split(' ');
    let (method, target) = (words.next(), words.next().unwrap_or_default());
    match method {
        Some("GET") => get(target, shared),
        Some("POST") if head.content_type.as_deref() != Some("application/json") => {
            refuse(FORBIDDEN, "send application/json")
        }
        Some("POST") => post(target, body, shared),
        _ => refuse(METHOD_NOT_ALLOWED, "send GET or POST"),
    }
}

/// Returns whether a host, perhaps with a port, is a name of this machine's loopback interface.
fn is_this_machine(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    ["127.0.0.1", "localhost"].contains(&name)
}

fn get(target: &str, shared: &Shared) -> Answer {
    let file = FILES.iter().find(|(address, ..)| *address == target);
    if let Some((_, kind, text)) = file {
        return (SUCCESS, kind, text.to_string());
    }
    match target {
        "/api/game" => json(SUCCESS, &shared.about),
        "/api/scene" => scene(&shared.scene.lock(), shared),
        "/api/thinking" => {
            let scene = shared.scene.lock();
            let message = ThinkingMessage {
                version: scene.version(),
                search: &shared.search.lock(),
                knowledge: &shared.knowledge.lock(),
                values: scene.values(),
            };
            json(SUCCESS, &message)
        }
        _ => refuse(NOT_FOUND, "no such page"),
    }
}

fn post(target: &str, body: &str, shared: &Shared) -> Answer {
    match target {
        "/api/play" => change(body, shared, |scene, request: PlayRequest| {
            scene.play(request.version, &request.moves)
        }),
        "/api/go" => change(body, shared, |scene, request: GoRequest| {
            scene.go(request.depth)
        }),
        "/api/machines" => change(body, shared, |scene, request: MachinesRequest| {
            scene.set_machines(request.machines)
        }),
        _ => refuse(NOT_FOUND, "no such page"),
    }
}

/// Executes a request, and answers with the scene after it.
fn change<T: DeserializeOwned>(
    body: &str,
    shared: &Shared,
    change: impl FnOnce(&mut Scene, T) -> Result<(), SceneError>,
) -> Answer {
    let request = match serde_json::from_str(body) {
        Ok(request) => request,
        Err(error) => return refuse(BAD_REQUEST, &error.to_string()),
    };
    shared.change(|shown| match change(shown, request) {
        Ok(()) => scene(shown, shared),
        Err(error) => refuse(CONFLICT, &error.to_string()),
    })
}

fn scene(shown: &Scene, shared: &Shared) -> Answer {
    json(SUCCESS, &SceneMessage::new(&shared.grids, shown))
}

/// An answer that says what is wrong.
fn refuse(status: &'static str, why: &str) -> Answer {
    json(status, &serde_json::json!({ "error": why }))
}

fn json(status: &'static str, message: &impl Serialize) -> Answer {
    let text = serde_json::to_string(message).expect("messages are plain data");
    (status, "application/json", text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts() {
        for host in ["127.0.0.1", "127.0.0.1:80", "localhost:9148"] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in [
            "",
            "example.org",
            "127.0.0.1.example.org:80",
            "localhost.example.org",
        ] {
            assert!(!is_this_machine(host), "{host}");
        }
    }
}
