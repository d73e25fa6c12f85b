// Plans the active item, then the next `ahead` items: a policy for protocol 1 of prefetch-sweep, in Rust: rustc -O items_ahead.rs
// The standard library has no JSON reader; this policy needs three numbers of a line, which it finds by their names.

use std::io::{self, BufRead, Write};

fn number(line: &str, key: &str) -> Option<usize> {
    let start = line.find(&format!("\"{key}\":"))? + key.len() + 3;
    let digits: String = line[start..].chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

fn main() -> io::Result<()> {
    let mut out = io::stdout();
    let (mut ahead, mut listed) = (3, 0);
    for line in io::stdin().lock().lines() {
        let line = line?;
        let new = line.matches(",\"kind\":").count();
        if line.starts_with("{\"type\":\"begin\"") {
            ahead = number(&line, "ahead").unwrap_or(3);
            listed = new;
            writeln!(out, "{{\"ready\": 1}}")?;
        } else if line.starts_with("{\"type\":\"plan\"") {
            // Each line has only what is new since the line before.
            listed += new;
            let (active, id) = (number(&line, "activeItem").unwrap_or(0), number(&line, "id").unwrap_or(0));
            let mut fetches = vec![format!("{{\"item\": {active}}}")];
            for item in (active + 1..listed).take(ahead) {
                fetches.push(format!("{{\"item\": {item}, \"bytes\": \"ready\", \"priority\": {}}}", item - active));
            }
            writeln!(out, "{{\"id\": {id}, \"fetches\": [{}]}}", fetches.join(", "))?;
        }
        out.flush()?;
    }
    Ok(())
}
